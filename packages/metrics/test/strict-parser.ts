// A strict reader of the text format, for tests: throws at the first line that is not as the format wants it.

/** A sample as it was read. */
interface ReadSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A family as it was read. */
export interface ReadFamily {
  readonly type: string
  readonly help: string
  readonly samples: ReadSample[]
}

const NAME = /^[a-z_:][a-z0-9_:]*$/
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/s
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/

/** The families by name. */
export function strictlyParsed(text: string): ReadonlyMap<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const lines = text.slice(0, -1).split('\n')
  const families = new Map<string, { type: string; help: string; samples: ReadSample[] }>()
  const seen = new Set<string>()
  let current: string | undefined
  for (const line of lines) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (word !== undefined) {
      if (!NAME.test(name)) throw new Error(`no name: ${line}`)
      if (name !== current && families.has(name)) throw new Error(`a family in two places: ${name}`)
      current = name
      const family = families.get(name) ?? { type: '', help: '', samples: [] }
      if (family.samples.length > 0) throw new Error(`metadata behind samples: ${line}`)
      families.set(name, { ...family, [word.toLowerCase()]: rest })
      continue
    }
    const [, sampleName = '', labelText, value = ''] = SAMPLE.exec(line) ?? []
    const family = current === undefined ? undefined : families.get(current)
    if (family === undefined || current === undefined || !fits(sampleName, current, family.type))
      throw new Error(`no sample of ${current}: ${line}`)
    if (!NUMBER.test(value)) throw new Error(`no number: ${line}`)
    const labels = labelsOf(labelText, line)
    const key = `${sampleName} ${JSON.stringify(labels)}`
    if (seen.has(key)) throw new Error(`twice: ${line}`)
    seen.add(key)
    family.samples.push({ name: sampleName, labels, value: numberOf(value) })
  }
  for (const [name, family] of families) check(name, family)
  return families
}

function fits(sample: string, family: string, type: string): boolean {
  if (type === 'histogram') return [`${family}_bucket`, `${family}_sum`, `${family}_count`].includes(sample)
  return sample === family
}

function labelsOf(text: string | undefined, line: string): Record<string, string> {
  const labels: Record<string, string> = {}
  if (text === undefined) return labels
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? []
    if (name === '' || name in labels) throw new Error(`no labels: ${line}`)
    labels[name] = value.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
  }
  return labels
}

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'))
}

function check(name: string, { type, help, samples }: ReadFamily): void {
  if (!['counter', 'gauge', 'histogram'].includes(type)) throw new Error(`no type: ${name}`)
  if (help === '') throw new Error(`no help: ${name}`)
  if (samples.length === 0) throw new Error(`no sample: ${name}`)
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`a counter below 0: ${name}`)
  if (type !== 'histogram') return
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
  const bounds = buckets.map(({ labels }) => numberOf(labels['le']?.replace('+', '') ?? ''))
  const values = buckets.map(({ value }) => value)
  const count = samples.find((sample) => sample.name === `${name}_count`)?.value
  const isAscending = (numbers: readonly number[]): boolean =>
    numbers.every((each, n) => n === 0 || each >= (numbers[n - 1] ?? 0))
  if (!isAscending(bounds) || !isAscending(values)) throw new Error(`buckets that do not ascend: ${name}`)
  if (bounds.at(-1) !== Infinity || values.at(-1) !== count) throw new Error(`no infinite bucket: ${name}`)
}
