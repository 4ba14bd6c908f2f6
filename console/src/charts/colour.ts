/** The colour of a layer, the largest one first; six of them, which differ in lightness too. */
export function chartColour(index: number): string {
  return `var(--page-chart-${index + 1})`
}
