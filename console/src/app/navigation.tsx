import { Stack } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Brand } from '../parts/brand.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { useMe } from '../session/me.ts'
import { BalanceLink } from './balance-link.tsx'
import styles from './navigation.module.css'
import { SchemeToggle } from './scheme-toggle.tsx'

interface Entry {
  readonly to: LinkProps['to'] & string
  readonly icon: IconName
  readonly name: string
}

const everybodys: readonly Entry[] = [
  { to: '/', icon: 'overview', name: 'Overview' },
  { to: '/keys', icon: 'keys', name: 'Keys' },
  { to: '/requests', icon: 'requests', name: 'Requests' },
  { to: '/credits', icon: 'credits', name: 'Credits' },
  { to: '/playground', icon: 'playground', name: 'Playground' },
  { to: '/evidence', icon: 'evidence', name: 'Evidence' },
]

const administrators: readonly Entry[] = [
  { to: '/admin/workspaces', icon: 'workspaces', name: 'Workspaces' },
  { to: '/admin/invitations', icon: 'invitations', name: 'Invitations' },
  { to: '/admin/upstreams', icon: 'upstreams', name: 'Upstreams' },
  { to: '/admin/audit', icon: 'audit', name: 'Audit trail' },
]

/** The ways to all pages; `onGo` closes what the navigation stands in on a phone. */
export function Navigation({ onGo }: { readonly onGo: () => void }) {
  const me = useMe()
  const toLinks = (entries: readonly Entry[]) =>
    entries.map((entry) => <Way key={entry.to} entry={entry} onGo={onGo} />)
  return (
    <Stack gap="lg" p="md" className={styles.whole!}>
      <span className={styles.brand}>
        <Brand />
      </span>
      <BalanceLink onGo={onGo} />
      <nav aria-label="Pages">{toLinks(everybodys)}</nav>
      {me.administrator && (
        <nav aria-label="Administration">
          <p className={styles.heading}>Administration</p>
          {toLinks(administrators)}
        </nav>
      )}
      <div className={styles.foot}>
        <Way entry={{ to: '/welcome', icon: 'guide', name: 'First steps' }} onGo={onGo} />
        <Way entry={{ to: '/account', icon: 'account', name: 'Account' }} onGo={onGo} />
        <p className={`${styles.who} foreign`} title={me.email}>
          <strong>
            <bdi>{me.workspace.name}</bdi>
          </strong>
          <bdi>{me.email}</bdi>
        </p>
        <SchemeToggle />
      </div>
    </Stack>
  )
}

function Way({ entry: { to, icon, name }, onGo }: { readonly entry: Entry; readonly onGo: () => void }) {
  return (
    <Link to={to} className={styles.way} onClick={onGo} activeOptions={{ exact: to === '/' }}>
      <Icon name={icon} />
      {name}
    </Link>
  )
}
