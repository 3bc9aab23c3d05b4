// `avocet ui`, as the command line knows it.
import { type DeclaredCommand, CONFIG_FLAG, valueFlag } from '@avocet/project/command'
import { parsePageAddress, given, textOf, textsOf } from '@avocet/project/options'
import type { UiOptions } from './ui.ts'

/** `avocet ui`. */
export const UI: DeclaredCommand<UiOptions> = {
  name: 'ui',
  arguments: '[stores..]',
  describes: { stores: 'Names or paths of stores, or folders [default: all]' },
  examples: ['avocet ui', 'avocet ui offers --listen 8042'],
  flags: {
    listen: valueFlag('[HOST:]PORT', 'Where to serve it [default: a free port]'),
    'password-file': valueFlag('FILE', 'Ask for the password in FILE'),
    ...CONFIG_FLAG,
  },
  read: (typed) => ({
    stores: textsOf(typed, 'stores'),
    address: parsePageAddress(textOf(typed, 'listen') ?? '', '--listen'),
    ...given('passwordPath', textOf(typed, 'password-file')),
    ...given('configPath', textOf(typed, 'config')),
  }),
  run: async (options, place) => (await import('./ui.ts')).uiCommand(options, place),
}
