/** The product's logo. */
export const Logo = ({ size }: { size: number }) => <img src="/favicon.svg" alt="" width={size} height={size} />;
