# Nothing is cached; answers are streamed while they are fetched.
vcl 4.1;

backend engine {
  .host = "${UPSTREAM_HOST}";
  .port = "${UPSTREAM_PORT}";
  .first_byte_timeout = 600s;
  .between_bytes_timeout = 600s;
}

sub vcl_recv {
  return (pass);
}
