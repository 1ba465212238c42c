import { own } from '../data/auth.ts'

/** Whether the service has the accounts to try. It omits the `meta` element in production. */
export const isDemo: boolean = own !== null && document.querySelector('meta[name="demo"]') !== null
