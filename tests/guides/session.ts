import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isAsShown, type Step } from './page.ts'

/** Where the steps of a page are taken. */
export interface Place {
  /** What a reader has before them: the project's folder, or what stands for it. */
  readonly folder: string
  /** The project itself, for what a page quotes. */
  readonly project: string
  readonly environment?: Readonly<Record<string, string>>
  /** Nothing of this project and of this process's environment besides: what is saved is looked at by the page's own commands. */
  readonly isApart?: boolean
  /** Rewrites what a page says of this machine, such as ports, in commands and in what they print. */
  readonly localize?: (text: string) => string
}

/** What is wrong with a page, by its line. */
export interface Finding {
  readonly line: number
  readonly problem: string
}

const MARK = '@@ step @@'

/** How long a program that goes on may take until it says something. */
const READY_SECONDS = 60

const PRELUDE = `
mark() { echo '${MARK}'; echo '${MARK}' >&2; }
running=()
finish() { for each in "\${running[@]}"; do kill -TERM -- "-$each" 2>/dev/null || true; done; wait; }
trap finish EXIT
goes_on() {
  local said="$SESSION/$1"
  set -m
  ("$1") >"$said.out" 2>"$said.err" &
  set +m
  running+=($!)
  for ((tick = 0; tick < ${READY_SECONDS} * 10; tick++)); do
    [ ! -s "$said.out" ] || break
    kill -0 "\${running[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  if [ ! -s "$said.out" ]; then cat "$said.err" >&2; return 1; fi
  cat "$said.out"
}
`

/** Programs that look at a file which a page has a reader save, by its name. */
const CHECKS: readonly (readonly [RegExp, (file: string) => string])[] = [
  [/^proxy.*\.yaml$/, (file) => `bin/proxy run --check --config ${file}`],
  [/^router.*\.yaml$/, (file) => `bin/router config check --config ${file}`],
  [/^target.*\.yaml$/, (file) => `"$NODE" "$PROJECT"/tests/guides/check-target.ts ${file}`],
  [/^conformance\.yml$/, (file) => `"$NODE" "$PROJECT"/tests/guides/run-workflow.ts ${file}`],
  [/\.ts$/, (file) => `"$NODE" ${file}`],
]

/** What one step printed, and said on stderr; whether it came to its end. */
export interface Taken {
  readonly printed: string
  readonly said: string
  readonly ok: boolean
}

/** Takes all steps in one shell, as a reader does, and lists what is not as the page says; empty when all is. */
export async function judgeSteps(steps: readonly Step[], place: Place): Promise<readonly Finding[]> {
  const taken = await takeSteps(steps, place)
  return taken.flatMap((each, index) => findingsOf(steps[index]!, each, place))
}

/** Takes the steps up to the first that fails. */
export async function takeSteps(steps: readonly Step[], place: Place): Promise<readonly Taken[]> {
  const script = steps.map((step, index) => `${commandsOf(step, index, place)}\nmark\n`).join('')
  const session = mkdtempSync(join(tmpdir(), 'guide-'))
  try {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', PRELUDE + script], {
      cwd: place.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...(place.isApart ? {} : process.env),
        LC_ALL: 'C',
        TZ: 'UTC',
        TMPDIR: session,
        SESSION: session,
        PROJECT: place.project,
        ...place.environment,
      },
    })
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
    await once(child, 'close')
    const said = (await stderr).split(`${MARK}\n`)
    const printed = (await stdout).split(`${MARK}\n`)
    return printed
      .map((each, index) => ({ printed: each, said: said[index] ?? '', ok: index < printed.length - 1 }))
      .slice(0, steps.length)
  } finally {
    rmSync(session, { recursive: true, force: true })
  }
}

function commandsOf(step: Step, index: number, { localize = same, isApart = false }: Place): string {
  const commands = localize(step.block.text)
  if (step.kind === 'run') return commands
  if (step.kind === 'goes on') return `step${index}() {\n${commands}\n}\ngoes_on step${index}`
  if (step.kind !== 'saved') return ':'
  const end = `END_OF_STEP_${index}`
  const save = `cat ${step.isMore ? '>>' : '>'} ${step.file} <<'${end}'\n${commands}${end}`
  if (isApart) return save
  const [, check] = CHECKS.find(([name]) => name.test(step.file)) ?? []
  if (check === undefined) throw new Error(`No program looks at ${step.file}`)
  return `${save}\n${check(step.file)} >&2`
}

function findingsOf(
  step: Step,
  { printed, said, ok }: Taken,
  { project, localize = same }: Place,
): Finding[] {
  const { line, text: shown } = step.block
  if (!ok) return [{ line, problem: `failed after\n${printed}\n${said}` }]
  if (step.kind === 'quoted') {
    const file = readFileSync(join(project, step.file), 'utf8')
    return file.includes(shown.trim()) ? [] : [{ line, problem: `${step.file} does not say this` }]
  }
  if (step.kind !== 'run' && step.kind !== 'goes on') return []
  if (step.printed === undefined || isAsShown(printed, localize(step.printed))) return []
  return [{ line, problem: `printed\n${printed}\nin place of\n${step.printed}` }]
}

function same(text: string): string {
  return text
}
