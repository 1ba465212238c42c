/**
 * Who is signed in, also to an account that has to set up a second factor before anything else. Which fields are open to it
 * the schema decides, and which pages their own rules.
 */
export const authenticatedRule = { authenticated: true, beforeEnrollment: true } as const
