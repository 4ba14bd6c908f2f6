import { sectionsOf } from '../markdown/headings.ts'
import { fromProject } from '../markdown/links.ts'
import type { Page } from '../page.ts'
import { read } from '../project.ts'

/** Where somebody begins, by what they want. */
export interface Start {
  readonly person: 'operator' | 'integrator' | 'user' | 'implementer'
  readonly title: string
  /** What they want, and what they have after a quarter of an hour. */
  readonly wish: string
  /** Sections of the project's documents, word for word: their commands are run by a test there. */
  readonly sections: readonly (readonly [file: string, headings: readonly string[]])[]
  /** The whole of it. */
  readonly guide: string
}

/** The four people of this project. */
export const starts: readonly Start[] = [
  {
    person: 'operator',
    title: 'Sell inference',
    wish: 'You have a model server in a confidential VM, and want keys, prepaid credit and an exact bill in front of it.',
    sections: [
      ['docs/operator.md', ['## The configuration file']],
      ['README.md', ['## Run it with your own models']],
    ],
    guide: 'docs/operator.md',
  },
  {
    person: 'integrator',
    title: 'Call it from a program',
    wish: 'You have an OpenAI client, and want it to work unchanged, with a cost in every answer.',
    sections: [
      ['README.md', ['## Point a real client at it']],
      ['docs/integrator.md', ['## Clients', '## Errors']],
    ],
    guide: 'docs/integrator.md',
  },
  {
    person: 'user',
    title: 'Verify before you send',
    wish: 'You use somebody’s router, and want to know what receives your words before they leave your machine.',
    sections: [
      ['docs/user.md', ['## 1. See what is there', '## 2. Write down what you expect', '## 3. Run it']],
    ],
    guide: 'docs/user.md',
  },
  {
    person: 'implementer',
    title: 'Check a router of your own',
    wish: 'You have built a router, or stand in front of one, and want to know whether it keeps the contract.',
    sections: [['docs/conformance.md', ['## A first report']]],
    guide: 'docs/conformance.md',
  },
]

/** A quick start for each of them, made of the guides. */
export function startPages(): readonly Page[] {
  return starts.map(({ person, title, wish, sections, guide }): Page => {
    const parts = sections.map(([file, headings]) => fromProject(sectionsOf(read(file), headings), file))
    const markdown = `# ${title}\n\n${wish} This is the beginning of [the ${person}’s guide](/${guide}).\n\n${parts.join('\n')}`
    return {
      address: `start/${person}.html`,
      title,
      summary: wish,
      group: 'Begin',
      source: guide,
      markdown: markdown.replace('the implementer’s guide', 'the guide'),
    }
  })
}
