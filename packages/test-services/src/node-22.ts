import { createRequire } from 'node:module'

/** The program of the oldest Node.js that packages support. */
export const node22 = createRequire(import.meta.url).resolve('node-22/bin/node')
