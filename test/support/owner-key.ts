/** The owner key of the gateway that tests run inside workerd. */
export const TEST_OWNER_KEY = `bwl_owner_${'T'.repeat(43)}`;

/** Its SHA-256, which is all that the gateway is given. */
export const TEST_OWNER_KEY_HASH = 'b5266f0d18e05e07167141b3bd0eeb9a8df335e13258edf3321f8c34703ec24d';
