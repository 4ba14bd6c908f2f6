import { createHash } from 'node:crypto'

// Ours: each of some 30 to 40 words, so that an answer is read in a second.
const answers: readonly string[] = [
  'Hello, and welcome! You are reading words that a small scripted model writes one by one. Each of them is ' +
    'metered on its way to you, and the bill is exact to the micro-dollar.',
  'Good to meet you! Nothing clever happens here: I am a stand-in that answers kindly and always the same. ' +
    'What is real is the road between us, and every token on it is counted.',
  'What a pleasant question! A proper model would think about it for a while. I only know a few sentences by ' +
    'heart, but they arrive at once, in order, and they cost you next to nothing.',
  'Thank you for asking! The sky over this loopback is clear, the streams are flowing, and the ledger is in ' +
    'balance. Ask me again whenever you like; I shall say the very same thing, gladly.',
]

/** The words the backend says to this prompt: pleasant, and the same each time. */
export function wordsFor(prompt: string): readonly string[] {
  const digest = createHash('sha256').update(prompt).digest()
  const answer = answers[digest.readUInt32BE(0) % answers.length] ?? ''
  return splitWords(answer)
}

/** So many words, made up. */
export function someWords(count: number, word: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${index === 0 ? '' : ' '}${word}${index + 1}`)
}

/** How many tokens the stand-in says a text has: one for each word. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

// Each word but the first brings the blank before it, as a model's tokens do.
function splitWords(text: string): readonly string[] {
  return text.match(/ ?[^ ]+/g) ?? []
}
