import { own } from '../data/auth.ts'

/** Whether the service is the one to try, whose accounts are known. It leaves the mark out in production. */
export const isDemo: boolean = own !== null && document.querySelector('meta[name="demo"]') !== null
