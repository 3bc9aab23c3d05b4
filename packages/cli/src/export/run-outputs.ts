// The outputs of a run: sinks that are open, and who hears that standard output takes nothing more.
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { Output } from '@avocet/project/options'
import type { OutputPlace, OutputSink } from './outputs.ts'

/** Outputs of one run. Closed by who opened them. */
export class RunOutputs {
  #sinks: readonly OutputSink[] = []
  /** What was typed, by name of the sink: the store has the path from its own folder. */
  #typed: ReadonlyMap<string, string> = new Map()
  #failed: (error: AvocetError) => void = () => {}

  /** Opens them. Throws AVO_USAGE, AVO_OUTPUT_UNWRITABLE. */
  static async open(outputs: readonly Output[], place: Omit<OutputPlace, 'failed'>): Promise<RunOutputs> {
    const opened = new RunOutputs()
    if (outputs.length === 0) return opened
    const { openOutputs } = await import('./outputs.ts')
    opened.#sinks = await openOutputs(outputs, {
      ...place,
      failed: (error) =>
        opened.#failed(
          error instanceof AvocetError ? error : new AvocetError('AVO_INTERNAL', messageOf(error), { cause: error }),
        ),
    })
    opened.#typed = new Map(opened.#sinks.map(({ name }, index) => [name, outputs[index]?.path ?? name]))
    return opened
  }

  get sinks(): readonly OutputSink[] {
    return this.#sinks
  }

  /** A sink as a person knows it: an output as it was typed. */
  nameOf(name: string): string {
    const typed = this.#typed.get(name) ?? name
    return typed === '-' ? name : typed
  }

  /** Calls `failed` when standard output takes nothing more. */
  onFailed(failed: (error: AvocetError) => void): void {
    this.#failed = failed
  }

  async close(): Promise<void> {
    for (const sink of this.#sinks) await sink.close()
  }
}
