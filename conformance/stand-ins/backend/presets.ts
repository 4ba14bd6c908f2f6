import type { Rule } from './script.ts'

/** Named scripts that are always there: say `[script:cut]` in a prompt. */
export const presets: readonly Rule[] = [
  { name: 'slow', betweenChunksMs: 500 },
  { name: 'long', chunks: 400, betweenChunksMs: 20 },
  { name: 'think', reasoning: 12, betweenChunksMs: 20 },
  {
    name: 'tool',
    toolCalls: [{ name: 'get_weather', arguments: ['{"city":', '"Paris"}'] }],
    betweenChunksMs: 20,
  },
  { name: 'busy', status: 503 },
  { name: 'html', body: '<!doctype html><title>502</title>', headers: { 'content-type': 'text/html' } },
  { name: 'refuse', fault: { kind: 'refuse' } },
  { name: 'silence', fault: { kind: 'silence' } },
  { name: 'cut', fault: { kind: 'cut', afterChunks: 5 }, betweenChunksMs: 20 },
  { name: 'eof', fault: { kind: 'eof', afterChunks: 5 }, betweenChunksMs: 20 },
  { name: 'stall', fault: { kind: 'stall', afterChunks: 5 }, betweenChunksMs: 20 },
  { name: 'error', fault: { kind: 'error', afterChunks: 5 }, betweenChunksMs: 20 },
  { name: 'garbage', fault: { kind: 'malformed', afterChunks: 5 }, betweenChunksMs: 20 },
]
