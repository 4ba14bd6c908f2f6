/** Shows the rules that hold a text and are ticked, and opens what a link leads to, from within the page or without. */
export const script = `
const text = document.querySelector('#text')
const boxes = [...document.querySelectorAll('.filter [type=checkbox]')]
const shown = document.querySelector('#shown')
const none = document.querySelector('#none')
const rows = [...document.querySelectorAll('tr[data-state]')].map((row) => [row, row.textContent.toLowerCase()])
const ticked = (name) => boxes.filter((one) => one.name === name && one.checked).map((one) => one.value)
function filter() {
  const wanted = text.value.trim().toLowerCase()
  const states = ticked('state')
  const owners = ticked('owner')
  let count = 0
  for (const [row, words] of rows) {
    row.hidden = !states.includes(row.dataset.state) || !owners.includes(row.dataset.owner) || !words.includes(wanted)
    if (!row.hidden) count++
  }
  shown.textContent = count + ' of ' + rows.length + ' rules'
  none.hidden = count > 0
}
for (const one of [text, ...boxes]) one.addEventListener('input', filter)
filter()
function show() {
  const place = document.getElementById(location.hash.slice(1))
  if (!place) return
  if (place.hidden) {
    text.value = ''
    for (const box of boxes) box.checked = true
    filter()
  }
  if (place.tagName === 'DETAILS') place.open = true
  place.scrollIntoView()
}
addEventListener('hashchange', show)
for (const link of document.querySelectorAll('a[href^="#"]'))
  link.addEventListener('click', () => link.hash === location.hash && show())
show()
`
