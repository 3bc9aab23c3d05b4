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
  // Without Intl, which takes 20 ms to load.
  const whole = String(Math.round(amount)).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${amount < 9.95 && unit > 0 ? amount.toFixed(1) : whole} ${UNITS[unit] ?? ''}`
}
