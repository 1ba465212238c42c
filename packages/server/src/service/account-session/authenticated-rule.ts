/**
 * The rule of signed-in accounts, including accounts that must set up a second factor first. The schema decides which
 * fields are open to them, and each page has its own rule.
 */
export const authenticatedRule = { authenticated: true, beforeEnrollment: true } as const
