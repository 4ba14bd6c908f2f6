const drawings = {
  overview: 'M4 13h4v7H4zM10 4h4v16h-4zM16 9h4v11h-4z',
  keys: 'M14.5 9.5a4 4 0 1 0-3.9 4L12 15h2v2h2v2h4v-3.5l-5.7-5.1M8.6 8.6h.01',
  credits: 'M4 7h16v11H4zM4 11h16M8 15h3',
  requests: 'M5 6h14M5 12h14M5 18h9',
  evidence: 'M12 3l7 3v5c0 4.6-2.9 8-7 10-4.1-2-7-5.4-7-10V6zM9 12l2.2 2.2L15.2 10',
  playground: 'M5 5h14v10H10l-5 4z',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c1.2-3.4 4-5 7.5-5s6.3 1.6 7.5 5',
  upstreams: 'M5 6h14v5H5zM5 13h14v5H5zM8 8.5h.01M8 15.5h.01',
  invitations: 'M4 6h16v12H4zM4 7l8 6 8-6',
  workspaces: 'M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z',
  audit: 'M7 3h8l4 4v14H7zM10 11h6M10 15h6',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
  moon: 'M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  right: 'M9 6l6 6-6 6',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  send: 'M4 12l16-7-5 15-3.5-6z',
  stop: 'M7 7h10v10H7z',
  guide: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM15 9l-2 4-4 2 2-4z',
} as const

/** What a drawing stands for. */
export type IconName = keyof typeof drawings

/** A drawing beside words; it says nothing that the words do not. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={drawings[name]} />
    </svg>
  )
}
