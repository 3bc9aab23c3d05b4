// The eight groups of an IPv6 address, as numbers.

/** The eight groups. The URL parser writes every form of an address in one way: hexadecimal, with at most one gap. */
export function groupsOf(address: string): readonly number[] {
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [front, back = []] = host.split('::').map((half) => (half === '' ? [] : half.split(':')))
  if (front === undefined) return []
  const gap = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...gap, ...back].map((group) => Number.parseInt(group, 16))
}
