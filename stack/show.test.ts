import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import { createPalette } from './palette.ts'
import { placesIn } from './places.ts'
import { showAddresses } from './show.ts'
import type { StackFile } from './stackfile.ts'
import { createStory } from './story.ts'

const places = placesIn("/srv/an owner's data")
const pin = digestOf('snapshot')
const stack: StackFile = {
  router_base_url: 'http://127.0.0.1:8080/v1',
  admin_url: 'http://127.0.0.1:9464',
  proxy_base_url: 'http://127.0.0.1:8484/v1',
  platform_url: 'https://127.0.0.1:8443',
  platform_control_url: 'http://127.0.0.1:8444',
  console_url: 'http://127.0.0.1:8080/console/',
  outbox_url: 'http://127.0.0.1:8025',
  api_key: 'sk-tee-v1-x',
  workspace_id: 'ws_1',
  model: 'demo/tiny-chat',
  root_pem_file: places.rootPem,
  pins: [pin],
  database_url: 'postgres://router:secret@127.0.0.1:54329/router',
  database_dir: '/data',
  pids: { start: 1, router: 2, proxy: 3, platform: 4, postgres: 5 },
}

function shown(): string {
  const said: string[] = []
  const write = (text: string) => void said.push(text)
  const story = createStory({ write, palette: createPalette({}, {}), columns: 80, now: () => 0 })
  showAddresses('It is up', stack, places, story)
  return said.join('')
}

/** The words that a shell makes of the line that begins so. */
function wordsOf(start: string): readonly string[] {
  const line = shown()
    .split('\n')
    .find((each) => each.trimStart().startsWith(start))
  const script = `set -- ${line}; printf '%s\\n' "$@"`
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
}

test('the lines to paste reach a command as they are meant, whatever the data folder is called', () => {
  expect(wordsOf('bin/proxy')).toEqual(
    ['bin/proxy', 'verify', 'https://127.0.0.1:8443', '--hostname', 'router.localhost'].concat(
      ['--root', places.rootPem],
      ['--pin', toHex(pin)],
    ),
  )
  expect(wordsOf('bin/router').at(-1)).toBe(places.routerConfig)
})

test('a question can be asked through the proxy, and directly', () => {
  const [through, directly] = ['http://127.0.0.1:8484', 'http://127.0.0.1:8080'].map((origin) =>
    wordsOf(`curl -N ${origin}/v1/chat/completions `),
  )
  expect(through).toContain('Authorization: Bearer sk-tee-v1-x')
  expect(through?.slice(3)).toEqual(directly?.slice(3))
  expect(JSON.parse(through?.at(-1) ?? '')).toMatchObject({ model: 'demo/tiny-chat', stream: true })
})

test('the console is named, with who signs in and where the code appears', () => {
  expect(shown()).toContain(
    [
      'Sign in to the console\n',
      '  page  http://127.0.0.1:8080/console/',
      '  as    admin@router.localhost, an administrator, who owns the workspace demo',
      '  code  is mailed to http://127.0.0.1:8025, the outbox: no mail leaves this machine\n',
    ].join('\n'),
  )
})

test('the database’s password is not shown', () => {
  expect(shown()).toContain('postgres://router@127.0.0.1:54329/router')
  expect(shown()).not.toContain('secret')
})
