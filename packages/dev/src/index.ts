// The commands for developing a spider, declared: each loads its work when it runs.
export { FETCH } from './fetch/command.ts'
export { NEW } from './new/command.ts'
export { PARSE } from './parse/command.ts'
export { SHELL } from './shell/command.ts'
