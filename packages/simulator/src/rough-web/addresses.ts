// Which loopback address each host of a rough web has: 127.42.0.1 and on, 254 in a row. On Linux all of 127/8 is this machine.

const PER_ROW = 254

/** Address of the `n`-th host. Throws RangeError above the 64,770th. */
export function loopbackAddress(n: number): string {
  const row = Math.floor(n / PER_ROW)
  if (row > 254)
    throw new RangeError(`expected at most ${String(255 * PER_ROW)} hosts on a rough web, got host number ${String(n)}`)
  return `127.42.${String(row)}.${String((n % PER_ROW) + 1)}`
}

/** An address of no host: it keeps the port of a web whose hosts are all silent. */
export const KEEPER_ADDRESS = '127.42.255.1'
