import type { LiveFault } from '../fault.ts'

/**
 * Verifiers ask all the time, and are answered as they should be: a fault lies in what is answered to others, so that it
 * shows where a scenario asks and nowhere else.
 */
const ASKED_BY_OTHERS = "request.headers['accept-encoding'] !== 'identity'"

/**
 * A router that reads its own bundle looks at its headers no more than verifiers do: a fault that lies in these shows to
 * whoever keeps the connection, which neither of them does.
 */
const ASKED_TO_STAY = "request.headers.connection !== 'close'"

/** What the platform publishes. */
export const platform: readonly LiveFault[] = [
  {
    id: 'other-kind',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, kind: 'Evidence' } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-01'],
    alsoBreaks: [{ rules: ['EP-22'], because: 'the form of a bundle says so' }],
    expectKilledBy: ['platform/bundle'],
    livesMs: 3_500,
  },
  {
    id: 'other-version',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, version: 2 } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-02', 'VERS-04'],
    alsoBreaks: [{ rules: ['BNDL-14', 'EP-22'], because: 'the form of a bundle says so' }],
    expectKilledBy: ['platform/bundle'],
    livesMs: 3_500,
  },
  {
    id: 'version-in-text',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, version: '1' } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-02', 'VERS-04'],
    alsoBreaks: [
      { rules: ['BNDL-19'], because: 'what is signed says otherwise' },
      { rules: ['BNDL-14'], because: 'this platform writes the number' },
    ],
    expectKilledBy: ['platform/bundle'],
    livesMs: 3_500,
  },
  {
    id: 'other-hostname',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, hostname: 'other.localhost' } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-03'],
    alsoBreaks: [
      { rules: ['BNDL-19'], because: 'what is signed says otherwise' },
      {
        rules: ['CHAT-09', 'CHAT-14', 'EP-17', 'EVID-05', 'EVID-32', 'EVID-33'],
        because: 'a router takes no bundle of another host for its own',
      },
    ],
    expectKilledBy: ['platform/bundle'],
    livesMs: 3_500,
  },
  {
    id: 'signed-long-ago',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, issuedAt: '2020-01-01T00:00:00.000Z' } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-04'],
    alsoBreaks: [
      { rules: ['BNDL-05', 'LIM-16'], because: 'who tells an old time never tells a new one' },
      { rules: ['BNDL-19'], because: 'what is signed says otherwise' },
    ],
    expectKilledBy: ['platform/issued'],
    livesMs: 3_500,
  },
  {
    id: 'chain-turned-round',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, certChain: told.certChain.toReversed() } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-06'],
    alsoBreaks: [
      { rules: ['BNDL-09', 'MODL-22'], because: 'the first of them signs, and the last names the hardware' },
    ],
    expectKilledBy: ['platform/chain'],
    livesMs: 3_500,
  },
  {
    id: 'other-fingerprint',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, certFingerprint: \`sha256/\${'A'.repeat(43)}\` } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-07'],
    alsoBreaks: [{ rules: ['BNDL-19'], because: 'what is signed says otherwise' }],
    expectKilledBy: ['platform/fingerprint'],
    livesMs: 3_500,
  },
  {
    id: 'other-leaf',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, tlsLeaf: told.certChain[0] } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-08'],
    expectKilledBy: ['platform/fingerprint'],
    livesMs: 3_500,
  },
  {
    id: 'signature-of-nothing',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, jws: \`\${told.jws.slice(0, -8)}AAAAAAAA\` } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-09'],
    expectKilledBy: ['platform/signature'],
    livesMs: 3_500,
  },
  {
    id: 'quote-is-a-text',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, rootCaTeeQuote: 'none' } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-12'],
    expectKilledBy: ['platform/bundle'],
    livesMs: 3_500,
  },
  {
    id: 'platform-cached',
    file: 'platform/evidence.ts',
    find: "response.setHeader('Cache-Control', 'no-store')",
    replace: '',
    as: 'statement',
    when: ASKED_TO_STAY,
    violates: ['EP-23'],
    expectKilledBy: ['platform/headers'],
  },
  {
    id: 'platform-for-pages',
    file: 'platform/evidence.ts',
    find: "response.setHeader('Cache-Control', 'no-store')",
    replace: "response.setHeader('Cache-Control', 'no-store').setHeader('Access-Control-Allow-Origin', '*')",
    as: 'statement',
    when: ASKED_TO_STAY,
    violates: ['EP-24'],
    alsoBreaks: [{ rules: ['EVID-25'], because: 'it says the same of that path' }],
    expectKilledBy: ['platform/headers'],
  },
  {
    id: 'platform-at-other-path',
    file: 'platform/evidence.ts',
    find: 'url === PATH || url.startsWith(`${PATH}?`)',
    replace: "url === '/.well-known/tee-evidence'",
    // What is asked is taken apart there.
    when: "url.startsWith(PATH) && arguments[0].headers['accept-encoding'] !== 'identity'",
    violates: ['EP-21', 'EP-22', 'SRV-05'],
    alsoBreaks: [{ rules: ['AUTH-04'], because: 'its path is asked for without a key' }],
    expectKilledBy: ['platform/path'],
  },
  {
    id: 'never-signed-anew',
    file: 'platform/resigner.ts',
    within: 'if (held) return',
    find: 'held',
    replace: 'true',
    violates: ['BNDL-05', 'LIM-16'],
    expectKilledBy: ['platform/resigned'],
  },
  {
    id: 'digest-signed-in-hex',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    const [head, payload, signature] = told.jws.split('.')
    const signed = JSON.parse(Buffer.from(payload, 'base64url').toString())
    signed.evidenceDigest = \`sha256:\${Buffer.from(signed.evidenceDigest.slice(7), 'base64url').toString('hex')}\`
    const jws = [head, Buffer.from(JSON.stringify(signed)).toString('base64url'), signature].join('.')
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, jws } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['DIG-03'],
    alsoBreaks: [
      { rules: ['BNDL-22'], because: 'it is held against the snapshot in wire form' },
      { rules: ['BNDL-10'], because: 'it is signed in wire form' },
      {
        rules: ['CHAT-09', 'CHAT-14', 'EP-17', 'EVID-05', 'EVID-32', 'EVID-33'],
        because: 'a router takes no bundle that it cannot read',
      },
    ],
    expectKilledBy: ['platform/signature'],
    livesMs: 3_500,
  },
  {
    id: 'digest-not-signed',
    file: 'platform/evidence.ts',
    find: `response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
    response.end(bytes)`,
    replace: `response.writeHead(200, { 'Content-Type': 'application/json' })
    const told = JSON.parse(bytes.toString())
    const [head, payload, signature] = told.jws.split('.')
    const signed = JSON.parse(Buffer.from(payload, 'base64url').toString())
    delete signed.evidenceDigest
    const jws = [head, Buffer.from(JSON.stringify(signed)).toString('base64url'), signature].join('.')
    response.end(JSON.stringify(told.hostname === 'router.localhost' ? { ...told, jws } : told))`,
    as: 'statement',
    when: ASKED_BY_OTHERS,
    violates: ['BNDL-10'],
    alsoBreaks: [
      { rules: ['BNDL-22'], because: 'it is held against the snapshot in wire form' },
      { rules: ['DIG-03'], because: 'nothing is not in wire form' },
      {
        rules: ['CHAT-09', 'CHAT-14', 'EP-17', 'EVID-05', 'EVID-32', 'EVID-33'],
        because: 'a router takes no bundle that it cannot read',
      },
    ],
    expectKilledBy: ['platform/signature'],
    livesMs: 3_500,
  },
]
