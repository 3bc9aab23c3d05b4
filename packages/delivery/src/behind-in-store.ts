// How many items a sink lacks by its mark in the store, suspects among them.
import type { DeliveryParts } from './delivery-parts.ts'

/** Of a sink that the store does not know yet: all that there are. */
export async function behindInStore({ make, store, sink }: Pick<DeliveryParts, 'make' | 'store' | 'sink'>): Promise<number> {
  const known = (await make('sink', () => store.reader.sinks())).find(({ name }) => name === sink.name)
  return known?.behind ?? (await make('sink', () => store.reader.counts())).items
}
