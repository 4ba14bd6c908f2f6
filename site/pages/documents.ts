import type { Group, Page } from '../page.ts'
import { list, read } from '../project.ts'

/** Files of the project that are pages as they stand: where they go, and under which name the menu has them. */
const documents: readonly (readonly [file: string, address: string, group: Group, name: string])[] = [
  ['docs/operator.md', 'guides/operator.html', 'Guides', 'Operating a router'],
  ['docs/integrator.md', 'guides/integrator.html', 'Guides', 'Calling it from a program'],
  ['docs/user.md', 'guides/user.html', 'Guides', 'Running the proxy'],
  ['docs/conformance.md', 'guides/conformance.html', 'Guides', 'Checking a router'],
  ['docs/auditor.md', 'guides/auditor.html', 'Guides', 'Auditing evidence by hand'],
  ['docs/architecture.md', 'architecture.html', 'How it works', 'Architecture'],
  ['SECURITY.md', 'threat-model.html', 'How it works', 'Threat model'],
  ['docs/trusted-base.md', 'trusted-base.html', 'How it works', 'The trusted base'],
  ['docs/glossary.md', 'glossary.html', 'How it works', 'Glossary'],
  ['docs/performance.md', 'performance.html', 'Evidence', 'Performance'],
  ['docs/compatibility.md', 'compatibility.html', 'Evidence', 'Compatibility'],
  ['docs/cases.md', 'cases.html', 'Evidence', 'Failures of others'],
  ['docs/kill-matrix.md', 'kill-matrix.html', 'Evidence', 'Planted faults'],
  ['docs/known-gaps.md', 'known-gaps.html', 'Project', 'Known gaps'],
  ['README.md', 'readme.html', 'Project', 'Readme'],
  ['CHANGELOG.md', 'changes.html', 'Project', 'Changes'],
  ['CONTRIBUTING.md', 'contributing.html', 'Project', 'Contributing'],
  ['docs/dependencies.md', 'dependencies.html', 'Project', 'Dependencies'],
]

/** The guides and the other documents, and the page of each room. */
export function documentPages(): readonly Page[] {
  const named = documents.map(([source, address, group, title]): Page => {
    const markdown = read(source)
    return { address, title, group, source, summary: firstSentence(markdown), markdown }
  })
  const taken = new Set([...documents.map(([source]) => source), 'spec/text/README.md'])
  const rooms = list('**/README.md').filter((source) => !taken.has(source))
  return [...named, ...rooms.map(roomPage)]
}

/** The first sentence of a document's words. */
function firstSentence(markdown: string): string {
  const words = markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/\n\n+/)
    .find((block) => /^[A-Z*`[]/.test(block.trim()))
  const plain = (words ?? '')
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain
}

function roomPage(source: string): Page {
  const markdown = read(source)
  const folder = source.slice(0, -'/README.md'.length)
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? folder
  const address = `rooms/${folder.replaceAll('/', '-')}.html`
  return { address, title: title.replaceAll('`', ''), source, summary: firstSentence(markdown), markdown }
}
