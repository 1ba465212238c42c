import { type House, openHouse } from '../src/house/house.ts'
import { root } from './build-house.ts'

/** This repository, read once per test file. */
export const house: House = openHouse(root)
