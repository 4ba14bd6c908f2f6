import { renderMermaidSVG } from 'beautiful-mermaid'

/**
 * A picture of Mermaid's as SVG within the page: its colours are the page's, by day and night. Styles of its own go, as
 * they name a foreign host for a font and would need a hole in the page's policy.
 */
export function drawPicture(mermaid: string, name: string): string {
  const svg = renderMermaidSVG(mermaid, {})
    .replace(/<style>[\s\S]*?<\/style>\s*/, '')
    .replace(/(<svg[^>]*?) style="[^"]*"/, '$1')
    .replace(/ id="([^"]+)"/g, ` id="${name}-$1"`)
    .replace(/url\(#([^)]+)\)/g, `url(#${name}-$1)`)
    .replace(/ xmlns="[^"]+"/g, '')
    // Lengths that a layout has computed end in noise.
    .replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))))
  const style = / style="[^"]*"/.exec(svg)
  if (style) throw new Error(`a picture has a style that the page's policy refuses: ${style[0]}`)
  return `<div class="picture" tabindex="0" role="group" aria-label="Diagram">${svg}</div>\n`
}
