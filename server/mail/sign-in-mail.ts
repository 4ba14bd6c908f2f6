import type { MailMessage } from './mailer.ts'

/** What a mail with a code says beside the code. */
export interface CodeMail {
  readonly to: string
  readonly code: string
  /** Where the code is asked for, as people see it in their browser. */
  readonly console: string
}

/**
 * The mail with a sign-in code. The code stands on a line of its own, to be copied, and not in the subject, which
 * mail servers write into their logs.
 */
export function createCodeMail({ to, code, console }: CodeMail): MailMessage {
  const asked = `Somebody, most likely you, wants to sign in to the console at ${console} with this address.`
  const use = 'It works once, for 10 minutes, in the browser that asked for it.'
  const warning = 'Was it not you? Then do nothing, and tell the code to nobody: without it nobody gets in.'
  return {
    to,
    subject: 'Your code to sign in',
    text: `${asked}\n\nYour code:\n\n${code}\n\n${use}\n\n${warning}\n`,
    html: [
      '<!doctype html><html lang="en"><body>',
      `<p>${escaped(asked)}</p>`,
      '<p>Your code:</p>',
      `<p><strong>${escaped(code)}</strong></p>`,
      `<p>${escaped(use)}</p>`,
      `<p>${escaped(warning)}</p>`,
      '</body></html>',
    ].join('\n'),
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
