// Numbers of bytes as people read them: in the largest fitting unit.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1536` as `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (Math.round(amount) >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024
    unit += 1
  }
  return `${amount < 9.95 && unit > 0 ? amount.toFixed(1) : amount.toLocaleString('en-US', { maximumFractionDigits: 0 })} ${UNITS[unit] ?? ''}`
}
