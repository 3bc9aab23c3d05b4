// Whether the outputs of a crawl can be written, before its store is made: a start that is refused leaves no empty crawl behind.
//
// What another process writes may be an output of the same crawl: then this one waits for it. Only the id of the crawl tells, and a store that is not made yet
// has none. But who knows the id of its crawl has its store, so where that of this crawl is not there, the other one is of another crawl. Whether it is there
// is asked after the refusal: it may be made meanwhile.
import { checkOutputs, type OutputPlace } from '../export/outputs.ts'
import type { Output } from '../options/crawl-options.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'

/** Throws AVO_USAGE, AVO_OUTPUT_UNWRITABLE, and AVO_FRONTIER_… where a store cannot be looked for. */
export async function checkedOutputs(outputs: readonly Output[], place: OutputPlace): Promise<void> {
  const { storePath, isShared = false } = place
  if (storePath === undefined || !isShared) return checkOutputs(outputs, place)
  try {
    await checkOutputs(outputs, { ...place, isNew: true })
  } catch (error) {
    if (!(await storeExists(storePath))) throw error
    await checkOutputs(outputs, place)
  }
}
