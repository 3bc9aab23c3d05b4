// The door of @avocet/stress/frontier: what a store must do under any calls in any order.
export { modelContract } from './model-contract.ts'
