import { type ReasonEntry, reasons, type Stage, stages } from '#contract/reasons'
import { fromProject } from '../markdown/links.ts'
import type { Page } from '../page.ts'
import { read } from '../project.ts'

const PAGE = 'generated/reasons.md'

/** One reason of a verifier, by its stage. */
export interface Reason extends ReasonEntry {
  readonly stage: Stage
  readonly name: string
  readonly address: string
}

/** Every reason, in the order in which a verifier judges. */
export const allReasons: readonly Reason[] = stages.flatMap((stage) =>
  Object.entries<ReasonEntry>(reasons[stage]).map(([name, entry]) => ({
    stage,
    name,
    address: `reasons/${stage}/${name}.html`,
    ...entry,
  })),
)

/** A page for each reason, and one with all of them. */
export function reasonPages(): readonly Page[] {
  return [listOfReasons(), ...allReasons.map(reasonPage)]
}

function listOfReasons(): Page {
  const page = read(PAGE)
  const words = /^# .*?(?=^- \*\*\[)/ms.exec(page)?.[0] ?? ''
  const sections = stages.map((stage) => {
    const meaning = new RegExp(`^## ${stage}\n\n(.*?)\n\n`, 'ms').exec(page)?.[1]
    if (meaning === undefined) throw new Error(`${PAGE} has no stage ${stage}`)
    const rows = allReasons
      .filter((reason) => reason.stage === stage)
      .map(({ name, anchor, meaning: says }) => `| [\`${name}\`](#${anchor}) | ${says} |`)
    return [`## ${stage}`, '', meaning, '', '| Reason | What it says |', '|---|---|', ...rows, ''].join('\n')
  })
  return {
    address: 'reasons/index.html',
    title: 'Reasons to refuse',
    summary: 'Why a verifier refuses an endpoint: every stage and reason, with what to do.',
    group: 'Reference',
    source: PAGE,
    markdown: `${fromProject(words, PAGE)}\n${sections.join('\n')}`,
  }
}

function reasonPage({ stage, name, address, meaning, remedy }: Reason): Page {
  const number = stages.indexOf(stage) + 1
  const where =
    stage === 'attesting'
      ? 'It is no finding of a verification: there was no verdict to act on.'
      : `It is a finding of the stage \`${stage}\`, number ${number} of ${stages.length - 1}. Stages are judged in their order, and the first that fails decides.`
  const markdown = [
    `# ${stage} / ${name}`,
    '',
    `> ${meaning}`,
    '',
    '## What to do',
    '',
    remedy,
    '',
    '## Where it stands',
    '',
    `${where} A proxy says so by \`attestation_failed\` with \`stage\` and \`reason\`; where a router judges an upstream, the stage is \`upstream-${stage}\`. [All reasons](#${stage}) of this stage.`,
    '',
    'Nothing was sent to the endpoint. `bin/proxy doctor --config proxy.yaml` looks for the cause, and [the guide](/docs/user.md#4-when-it-refuses) says how to read it.',
    '',
  ].join('\n')
  return { address, title: `${stage} / ${name}`, summary: meaning, source: PAGE, markdown }
}
