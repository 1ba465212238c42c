import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The program of the oldest Node.js that packages support. */
export const node22: string = require.resolve('node-22/bin/node')
