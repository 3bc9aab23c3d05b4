// How many hosts are parked with several processes: one that another process has at work, or has parked as well, is no host more.
import type { Scene } from '../view/scene.ts'

/** The hosts that no process has at work. */
export function parkedHosts(scenes: readonly Pick<Scene, 'parkedHosts' | 'hostKeys'>[]): number {
  const atWork = new Set(scenes.flatMap(({ hostKeys }) => hostKeys?.live ?? []))
  const parked = scenes.flatMap(({ hostKeys }) => hostKeys?.parked ?? [])
  const names = new Set(parked.filter((hostKey) => !atWork.has(hostKey)))
  const all = scenes.reduce((sum, scene) => sum + scene.parkedHosts, 0)
  return all - (parked.length - names.size)
}
