// `avocet simulate`, as the command line knows it.
import { SIMULATE_FLAGS, simulateOptionsOf, type SimulateOptions } from '../simulate/options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet simulate`. */
export const SIMULATE: DeclaredCommand<SimulateOptions> = {
  name: 'simulate',
  arguments: '[target]',
  summary: 'the same on virtual time, against a model of the web',
  examples: ['avocet simulate --web eight-hundred --hours 12', 'avocet simulate spider.ts --web web.json --seed 7 --json'],
  flags: SIMULATE_FLAGS,
  describe: (parser) => parser.positional('target', { describe: 'a spider file, or a configuration', type: 'string' }),
  readsEnvironment: true,
  read: simulateOptionsOf,
  run: async (options, place) => (await import('../commands/simulate.ts')).simulateCommand(options, place),
}
