/** A mail as the router's outbox tells of it. */
interface OutboxMail {
  readonly to: readonly string[]
  readonly text: string
}

/** Reads the mails to an address in the router's outbox, the newest first: what the hook `readMails` answers. */
export async function readOutbox(port: number, to: string): Promise<object> {
  const response = await fetch(`http://127.0.0.1:${port}/mails`)
  if (!response.ok) throw new Error(`the outbox answered ${response.status}`)
  const { data } = (await response.json()) as { readonly data: readonly OutboxMail[] }
  return { mails: data.filter((mail) => mail.to.includes(to)).map(({ text }) => ({ text })) }
}
