/** How the page looks, by day and by night. */
export const style = `
:root { color-scheme: light dark; --line: #ccc; --faint: #f4f4f4; --bad: #a3262e; --good: #2b7a3d; --doubt: #8a6100 }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --faint: #222; --bad: #ff8a8f; --good: #7fd694; --doubt: #e3b341 }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem }
h1, h2, h3 { line-height: 1.2 }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top }
td:first-child { white-space: nowrap }
pre, code { background: var(--faint); font-size: 13px; overflow-wrap: anywhere; white-space: pre-wrap }
pre { max-height: 24rem; overflow: auto; padding: .5rem }
details { border-bottom: 1px solid var(--line); padding: .4rem 0 }
.broken, .failing, .problem { color: var(--bad) } .kept, .conformant { color: var(--good) }
.partly, .partial { color: var(--doubt) }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; margin: 1rem 0 } .filter input[type=search] { flex: 1; min-width: 12rem; padding: .4rem }
.timeline { background: var(--faint) } .timeline rect { fill: currentColor } .times { font-size: 13px; margin: 0 }
[hidden] { display: none !important }
.untold { opacity: .75 } ul { padding-left: 1.4rem } summary { cursor: pointer; overflow-wrap: anywhere }
@media (max-width: 40rem) {
  thead { display: none } table, tbody, tr, td { display: block } tr { border-bottom: 1px solid var(--line); padding: .3rem 0 }
  td { border: 0; display: flex; gap: .5rem; overflow-wrap: anywhere; padding: .1rem 0 } td:first-child { white-space: normal }
  td::before { color: CanvasText; content: attr(data-label); flex: 0 0 6rem; opacity: .75 } td > span { min-width: 0 }
}
`

/** Shows the rules that hold a text and are in a state that is ticked. */
export const script = `
const text = document.querySelector('#text')
const states = [...document.querySelectorAll('.filter [name=state]')]
const shown = document.querySelector('#shown')
const rows = [...document.querySelectorAll('tr[data-state]')]
function filter() {
  const wanted = text.value.toLowerCase()
  const ticked = states.filter((one) => one.checked).map((one) => one.value)
  let count = 0
  for (const row of rows) {
    row.hidden = !ticked.includes(row.dataset.state) || !row.textContent.toLowerCase().includes(wanted)
    if (!row.hidden) count++
  }
  shown.textContent = count + ' of ' + rows.length + ' rules'
}
for (const one of [text, ...states]) one.addEventListener('input', filter)
filter()
for (const link of document.querySelectorAll('a[href^="#"]'))
  link.addEventListener('click', () => {
    const place = document.getElementById(link.hash.slice(1))
    if (place) place.open = true
  })
`
