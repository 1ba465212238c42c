export { createTestServer, type TestServer } from './testing/create-test-server.ts'
export type { SignedInVisitor, SignInAs } from './testing/sign-in-as.ts'
export type { ClockStep, TestClock } from './testing/test-clock.ts'
export type { TestRequestOptions, TestResult, TestVisitor, TestVisitorOptions } from './testing/test-visitor.ts'
