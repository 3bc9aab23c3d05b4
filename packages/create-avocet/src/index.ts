// The one door of create-avocet: what its bin starts.
export { main } from './main.ts'
export type { Surroundings } from './surroundings.ts'
