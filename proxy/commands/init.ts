import { existsSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Admission, AttestationError, inspectBundle, toHex } from '#attestation'
import { UsageError } from '#base/command.ts'
import { type OutputOptions, print, printLines } from '#base/print.ts'
import type { WrittenConfigOutput } from '#contract/models'
import { loadProxyConfig } from '../config/proxy.ts'
import { configText } from './init-file.ts'
import { openQuestions, type Questions } from './init-questions.ts'
import { keepFile } from './keep-file.ts'
import { printRefusal, REFUSED } from './refused.ts'
import { examine } from './show.ts'
import { type Shown, shownInWords } from './show-words.ts'
import { readNamed } from './snapshot-source.ts'
import { parseEndpointUrl } from './usage.ts'

/** What `proxy init` takes. */
export interface InitOptions extends OutputOptions {
  readonly config: string
  readonly hostname?: string
  readonly root: readonly string[]
  readonly leafName: boolean
  readonly yes?: true
}

/** What is written once a person has said yes. */
interface Approved {
  readonly url: URL
  readonly shown: Shown
  readonly admission: Admission
  /** The root that came along; undefined where one was named. */
  readonly rootPem: string | undefined
}

const ROOT_FILE = 'root.pem'

/**
 * `proxy init [URL]`: shows what is deployed, asks, and writes the first configuration. Nothing is written before the
 * last yes, of what a stage refuses, or over a file that is there (CMD-37).
 */
export async function init(given: string | undefined, options: InitOptions): Promise<number> {
  const rootFile = options.root[0] ?? join(dirname(options.config), ROOT_FILE)
  for (const file of [options.config, ...(options.root.length === 0 ? [rootFile] : [])]) mustBeFree(file)
  const questions = openQuestions(options, given !== undefined && options.root.length > 0)
  try {
    const url = baseUrlOf(
      given ?? (await questions.ask('Base URL of the endpoint, such as https://router.example/v1: ')),
    )
    const approved = await askAbout(url, options, questions)
    if (typeof approved === 'number') return approved
    write(approved, options, rootFile)
    return 0
  } finally {
    questions.close()
  }
}

async function askAbout(url: URL, options: InitOptions, questions: Questions): Promise<Approved | number> {
  const subject = url.href
  try {
    const named = await readNamed(subject, options)
    const inspected = inspectBundle(named.bytes)
    const shown = await examine(subject, named, inspected, { ...options, asWritten: true })
    if (!options.json) printLines([...shownInWords(shown), ''])
    if (shown.refusal !== undefined) throw shown.refusal
    const { admission, isRootNamed } = shown
    if (admission === undefined)
      throw new Error(`What ${subject} publishes does not hold at the time of its own signature.`)
    const rootPem = isRootNamed ? undefined : inspected.bundle.certChain.at(-1)
    // What was shown is as long as the endpoint wants, and a line that wraps can look like any other: each question
    // says itself what it is about.
    const isKnown =
      isRootNamed ||
      (await questions.confirm(
        `The root is ${toHex(admission.rootFingerprint)}. Did the operator give you its digest in some other way, and is it the same?`,
      ))
    const isApproved =
      isKnown &&
      (await questions.confirm(
        `The deployment is ${toHex(admission.digest)}. Do you approve of this deployment?`,
      ))
    if (isApproved) return { url, shown, admission, rootPem }
    printLines(['Nothing was written.'])
    return REFUSED
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return printRefusal(options, subject, `Nothing was written, as ${subject} does not hold:`, thrown)
  }
}

function write({ url, shown, admission, rootPem }: Approved, options: InitOptions, rootFile: string): void {
  const { config, hostname, leafName } = options
  const roots = (rootPem === undefined ? options.root : [rootFile]).map((file) =>
    relative(dirname(resolve(config)), resolve(file)),
  )
  const pin = toHex(admission.digest)
  const text = configText({ url: url.href, hostname, roots, leafName, pin })
  if (rootPem !== undefined) keepFile(rootFile, Buffer.from(`${rootPem.trimEnd()}\n`), { force: false })
  const written = rootPem === undefined ? [] : [rootFile]
  try {
    keepFile(config, Buffer.from(text), { force: false })
    written.push(config)
    loadProxyConfig(config, process.env)
  } catch (thrown) {
    // One that does not hold would be in the way of the next attempt.
    for (const file of written) rmSync(file, { force: true })
    throw thrown
  }
  const document: WrittenConfigOutput = {
    config,
    root: roots[0] ?? '',
    root_written: rootPem !== undefined,
    url: url.href,
    hostname: shown.hostname,
    pin,
  }
  print(options, document, [
    `${config} is written${rootPem === undefined ? '' : `, and ${rootFile} with the root`}.`,
    'Start it: proxy run. Your clients’ base URL is then http://127.0.0.1:8484/v1.',
  ])
}

function mustBeFree(file: string): void {
  if (existsSync(file))
    throw new Error(
      `${file} is there already, and stays as it is: \`proxy pin add\` approves of one more deployment.`,
    )
}

/** A host alone is meant with `/v1`, as every base URL has it. */
function baseUrlOf(text: string): URL {
  const url = parseEndpointUrl(text.trim())
  if (url.pathname === '/') url.pathname = '/v1'
  url.pathname = url.pathname.replace(/\/+$/, '')
  if (url.pathname.endsWith('/v1') && url.search === '' && url.hash === '') return url
  throw new UsageError(`The base URL of an endpoint ends in /v1: "${text}" does not.`)
}
