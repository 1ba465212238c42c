/** The rule of pages of an account: a user of the service itself. */
export const signedIn = { authenticated: true, firstParty: true } as const

/**
 * The same rule for pages that set up a second factor or sign out: it includes accounts that must set up a factor
 * first.
 */
export const authenticatedRule = { authenticated: true, firstParty: true, beforeEnrollment: true } as const
