// The door of @avocet/stress/fetcher: what our fetchers must do with bodies that are saved, beyond the contract.
export { savedBodies } from './saved-bodies.ts'
export { WatchedSaver, type WatchedSaverOptions } from './watched-saver.ts'
