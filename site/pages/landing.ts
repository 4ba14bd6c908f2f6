import { blockBehind } from '../markdown/headings.ts'
import { fromProject } from '../markdown/links.ts'
import type { Page } from '../page.ts'
import { read } from '../project.ts'
import { starts } from './starts.ts'

/** What this is, for whom, and which two commands to run. */
export function landingPage(): Page {
  const readme = read('README.md')
  const promise = /^# .*\n\n([\s\S]*?)\n\n/.exec(readme)?.[1] ?? ''
  const cards = starts.map(({ person, title, wish }) => {
    return `<a class="card" href="start/${person}.html"><small>${person}</small><strong>${title}</strong><span>${wish}</span></a>`
  })
  const markdown = [
    '# Confidential Inference Router',
    '',
    `<div class="promise">`,
    '',
    fromProject(promise, 'README.md'),
    '',
    '</div>',
    '',
    '## Two commands',
    '',
    blockBehind(readme, '# Confidential Inference Router'),
    '',
    'The first shows [an answer served, verified, billed and recorded](/README.md#what-you-will-see); it needs no Docker, no database server and no model of yours.',
    '',
    '## Who are you?',
    '',
    `<div class="cards">${cards.join('')}</div>`,
    '',
    '## What stands behind it',
    '',
    '- [How it works](/docs/architecture.md), in pictures: a request’s way, a bundle’s, the life of a hold and of a verdict.',
    '- [What it keeps safe](/SECURITY.md), from whom, and [what not](/docs/known-gaps.md).',
    '- [Every rule](/generated/rules.md) of the contract with what shows it, [every error](/generated/errors.md), [every reason to refuse](/generated/reasons.md), each at an address of its own.',
    '- [The API](/generated/openapi.yaml), to be tried from the page.',
    '- [What it costs in time](/docs/performance.md), and [which routers keep the contract](/docs/compatibility.md).',
    '',
  ].join('\n')
  return {
    address: 'index.html',
    title: 'Confidential Inference Router',
    summary: 'Sell inference from confidential VMs, with a bill that is exact to the micro-dollar.',
    source: '',
    markdown,
  }
}
