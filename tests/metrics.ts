/** One line of Prometheus' text form. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads a router's metrics. */
export async function readMetrics(adminUrl: string): Promise<Sample[]> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseSample)
}

/** The value of the one sample with that name and at least those labels, empty ones absent; undefined when none. */
export function valueIn(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => (sample.labels[key] ?? '') === value),
  )
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} have ${JSON.stringify(labels)}`)
  return found[0]?.value
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line)!
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!])
  return { name: name!, labels: Object.fromEntries(pairs), value: Number(value) }
}
