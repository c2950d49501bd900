// Times as the pages write them, such as Thu 19 Nov, 09:00.
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// A clock time without a zone, such as 2026-11-19T09:00: the service knows the zone of the page.
export function nameTime(clock) {
  const [day, time] = clock.split("T");
  const date = new Date(`${day}T00:00:00Z`);
  const year = date.getUTCFullYear() === new Date().getFullYear() ? "" : ` ${date.getUTCFullYear()}`;
  return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${year}, ${time}`;
}
