// The door of @avocet/stress/frontier: what our stores must do beyond the contract, under any calls in any order.
export { frontierDetails, type FrontierDetailsOptions } from './details.ts'
