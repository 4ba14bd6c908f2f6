/** The head of a table. */
export function head(names: readonly string[]): string {
  return `<thead><tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr></thead>`
}

/** Cells of a row, each with the head of its column, which narrow screens show beside it. */
export function cells(
  heads: readonly string[],
  values: readonly string[],
  classes: Readonly<Record<number, string>> = {},
) {
  return values
    .map((value, index) => {
      const own = classes[index] === undefined ? '' : ` class="${classes[index]}"`
      return `<td data-label="${heads[index]}"${own}><span>${value}</span></td>`
    })
    .join('')
}
