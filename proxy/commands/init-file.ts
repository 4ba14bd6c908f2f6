/** What a first configuration says. */
export interface FirstConfig {
  /** With `/v1`. */
  readonly url: string
  /** Of the evidence, where it is not the URL's. */
  readonly hostname: string | undefined
  /** Files, from the configuration's folder. */
  readonly roots: readonly string[]
  readonly leafName: boolean
  /** As people write it. */
  readonly pin: string
}

/** The text of a first `proxy.yaml`. A JSON string is one of YAML as well, whatever stands in it. */
export function configText({ url, hostname, roots, leafName, pin }: FirstConfig): string {
  const root = (file: string) =>
    `{ file: ${JSON.stringify(file)}${leafName ? '' : ', requireLeafName: false'} }`
  return `# Written by \`proxy init\`. \`proxy run --check\` says whether it is in order.
dataDir: .data/proxy             # journal, and what must outlive a restart
admin: { port: 8485 }            # \`proxy status\`, health and metrics, for this machine alone
endpoints:
  - name: main
    listen: { port: 8484 }       # your clients' base URL is http://127.0.0.1:8484/v1
    url: ${JSON.stringify(url)}
${hostname === undefined ? '' : `    hostname: ${JSON.stringify(hostname)}\n`}    # Who vouches for the platform: whatever another root signs is refused.
    roots: [${roots.map(root).join(', ')}]
    # What you approved of. Nothing is sent to anything else: \`proxy show\` tells what is in it, \`proxy pin add\`
    # approves of the next release beside it.
    pins:
      - ${pin}
`
}
