/** How the page looks, by day and by night. */
export const style = `
:root { color-scheme: light dark; --line: #ccc; --faint: #f4f4f4; --bad: #a3262e; --good: #2b7a3d; --doubt: #8a6100 }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --faint: #222; --bad: #ff8a8f; --good: #7fd694; --doubt: #e3b341 }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem }
h1, h2, h3 { line-height: 1.2 } h4 { overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top }
td:first-child { white-space: nowrap }
pre, code { background: var(--faint); font-size: 13px; overflow-wrap: anywhere; white-space: pre-wrap }
pre { max-height: 24rem; overflow: auto; padding: .5rem }
details { border-bottom: 1px solid var(--line); padding: .4rem 0 }
.broken, .failing, .problem { color: var(--bad) } .kept, .conformant { color: var(--good) }
.partly, .partial { color: var(--doubt) }
table.rules { table-layout: fixed } .rules th:nth-child(1), .rules th:nth-child(4) { width: 6.5rem }
.rules th:nth-child(2) { width: 5.5rem } .rules th:nth-child(3) { width: 7rem } .rules td { overflow-wrap: anywhere }
tr:target, details:target { outline: 2px solid var(--doubt) }
details details { border: 0; padding: 0 } dt { font-weight: bold } dd { margin: 0 0 .5rem 1rem }
.idle { opacity: .75 } nav { margin: 1rem 0 } li ul { margin: .2rem 0 .6rem } pre.body { max-height: 32rem }
.filter { align-items: center; display: flex; flex-wrap: wrap; gap: .5rem 1rem; margin: 1rem 0 } .filter input[type=search] { flex: 1; min-width: 12rem; padding: .4rem }
.filter label { white-space: nowrap }
.timeline { background: var(--faint) } .timeline rect { fill: currentColor } .times { font-size: 13px; margin: 0 }
[hidden] { display: none !important }
.untold { opacity: .75 } ul { padding-left: 1.4rem } summary { cursor: pointer; overflow-wrap: anywhere }
@media (max-width: 40rem) {
  thead { display: none } table, tbody, tr, td { display: block } tr { border-bottom: 1px solid var(--line); padding: .3rem 0 }
  table.rules, .rules td { width: auto } td { border: 0; display: flex; gap: .5rem; overflow-wrap: anywhere; padding: .1rem 0 } td:first-child { white-space: normal }
  td::before { color: CanvasText; content: attr(data-label); flex: 0 0 6rem; opacity: .75 } td > span { min-width: 0 }
  td.untold::before, td.idle::before { opacity: 1 }
}
`
